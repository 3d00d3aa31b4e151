//! Whether the machine can draw.

use kiss3d::context::Context;

use crate::error::{Error, ErrorKind, Result};

/// What a Linux machine without a graphics driver needs.
const PACKAGES: &str = "on Debian and Ubuntu, install the packages libvulkan1 and mesa-vulkan-drivers: they draw without a \
                        graphics card too";

/// Demands Vulkan, Metal or Direct3D 12; OpenGL draws black pictures here.
///
/// # Errors
/// Kind `Graphics` when there is no driver.
pub fn demand() -> Result<()> {
    let descriptor = wgpu::InstanceDescriptor {
        backends: wgpu::Backends::PRIMARY,
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    };
    let instance = wgpu::Instance::new(descriptor);
    let options = wgpu::RequestAdapterOptions::default();
    kiss3d::pollster::block_on(instance.request_adapter(&options))
        .map(|_| ())
        .map_err(|error| {
            let message = format!("there is no graphics driver for Vulkan, Metal or Direct3D 12: {error}");
            Error::new(ErrorKind::Graphics, message).advise(PACKAGES)
        })
}

/// Demands that the graphics library has chosen such a driver.
///
/// # Errors
/// As [`demand`].
pub fn confirm() -> Result<()> {
    let chosen = Context::get().adapter.get_info();
    match chosen.backend {
        wgpu::Backend::Vulkan | wgpu::Backend::Metal | wgpu::Backend::Dx12 => Ok(()),
        other => {
            let message = format!(
                "the graphics driver \"{}\" ({other:?}) cannot draw the mechanism",
                chosen.name
            );
            Err(Error::new(ErrorKind::Graphics, message).advise(PACKAGES))
        }
    }
}
