use std::f64::consts::PI;

use super::{Axial, BODIES, Drawn, Item, Layer, Line, Material, Mesh, Owner, Scale, Shape, Unit, Vector, blocks};

fn triangle(mesh: &Mesh, face: [u32; 3]) -> [Vector; 3] {
    face.map(|i| mesh.positions[i as usize])
}

/// Enclosed volume by the divergence theorem; positive when faces look outwards.
fn enclosed(mesh: &Mesh) -> f64 {
    let faces = mesh.faces.iter().map(|&face| triangle(mesh, face));
    faces.map(|[a, b, c]| a.dot(&b.cross(&c)) / 6.0).sum()
}

fn volume(unit: Unit) -> f64 {
    enclosed(&unit.mesh())
}

#[test]
fn the_unit_meshes_enclose_the_volumes_of_their_bodies() {
    let close = |unit: Unit, expected: f64| {
        let found = volume(unit);
        assert!(
            (found / expected - 1.0).abs() < 0.03,
            "{unit:?}: {found}, not {expected}"
        );
    };
    close(Unit::Rod, PI);
    close(Unit::Ball, 4.0 * PI / 3.0);
    close(Unit::Cone, PI / 3.0);
    close(Unit::Cube, 1.0);
    close(Unit::Prism, 0.5);
}

/// Asserts that normals are unit vectors on the outer side of their faces.
fn assert_outward(mesh: &Mesh, unit: Unit) {
    for &face in &mesh.faces {
        let [a, b, c] = triangle(mesh, face);
        let of_face = (b - a).cross(&(c - a));
        if of_face.norm_squared() < 1e-20 {
            continue;
        }
        for i in face {
            let normal = mesh.normals[i as usize];
            assert!(
                (normal.norm_squared() - 1.0).abs() < 1e-9,
                "{unit:?}: {normal:?} is no unit vector"
            );
            assert!(of_face.dot(&normal) > 0.0, "{unit:?}: a face looks inwards");
        }
    }
}

#[test]
fn faces_and_normals_look_outwards() {
    for unit in Unit::ALL {
        assert_outward(&unit.mesh(), unit);
    }
}

fn link(ends: [[f64; 3]; 2]) -> Item {
    Item {
        owner: Owner::Body(0),
        colour: BODIES[0],
        given: None,
        height: 0.0,
        layer: Layer::ONLY,
        shape: Shape::Line(Line::Bar, ends.map(Vector::from)),
    }
}

#[test]
fn a_spring_reaches_from_end_to_end() {
    let ends = [[1.0, 2.0, 0.0], [4.0, 6.0, 0.0]].map(Vector::from);
    let items = [Item {
        owner: Owner::Force(0),
        colour: BODIES[0],
        given: None,
        height: 0.0,
        layer: Layer::ONLY,
        shape: Shape::Line(Line::Spring, ends),
    }];
    let scale = Scale::new(3, [&items[..]].into_iter());
    let found = blocks(&items, &scale);
    let coil = found
        .iter()
        .find(|block| block.unit == Unit::Coil)
        .expect("there is a coil");
    assert_eq!(coil.origin, ends[0]);
    let tip = coil.origin + coil.axes[1];
    assert!((tip - ends[1]).amax() < 1e-12, "{tip:?}");
    let (x, z) = (coil.axes[0], coil.axes[2]);
    assert!(x.dot(&coil.axes[1]).abs() < 1e-12 && x.dot(&z).abs() < 1e-12);
}

#[test]
fn sizes_grow_with_the_mechanism() {
    let small = [link([[0.0; 3], [1.0, 0.0, 0.0]])];
    let large = [link([[0.0; 3], [1e6, 0.0, 0.0]])];
    let bar = |items: &[Item]| Scale::new(2, [items].into_iter()).bar;
    assert!((bar(&large) / bar(&small) / 1e6 - 1.0).abs() < 1e-12);
}

/// What acts on a coordinate of a point mass, which moves by a metre along it and two across.
fn axial(kind: Axial, axis: usize) -> (Scale, impl Fn(f64) -> Drawn) {
    let place = move |value: f64| {
        let mut place = Vector::zeros();
        (place[axis], place[1 - axis]) = (value, 2.0 * value);
        place
    };
    let item = |value: f64| Item {
        shape: Shape::Axial(kind, place(value), axis),
        ..link([[0.0; 3]; 2])
    };
    let scale = Scale::new(2, [&[item(0.0), item(1.0)][..]].into_iter());
    (scale, move |value| kind.drawn(place(value), axis, &scale))
}

/// What lies on the left from the first of two places to the second.
fn left([a, b]: [Vector; 2]) -> Vector {
    Vector::z().cross(&(b - a))
}

#[test]
fn a_spring_on_a_coordinate_stands_on_a_wall_that_lies_behind_it() {
    for axis in [0, 1] {
        let (scale, drawn) = axial(Axial::Spring(0.25), axis);
        for value in [0.0, 1.0] {
            let Drawn::Spring([foot, at], wall) = drawn(value) else {
                panic!("a spring")
            };
            assert_eq!(at[axis], value);
            // Relaxed it has the length that Scale says, and it lies along its axis.
            assert_eq!(foot[axis], 0.25 - scale.reach);
            assert_eq!(foot[1 - axis], at[1 - axis]);
            assert!((wall[0] + wall[1] - 2.0 * foot).amax() < 1e-12);
            assert!(left(wall).dot(&(at - foot)) < 0.0, "what is fixed lies behind");
            assert!(scale.bounds[0][axis] <= foot[axis], "the picture holds it");
        }
    }
}

#[test]
fn a_stop_is_a_wall_where_the_coordinate_ends() {
    for axis in [0, 1] {
        for sign in [1.0, -1.0] {
            let (_, drawn) = axial(Axial::Stop(0.5, sign), axis);
            let Drawn::Stop(wall) = drawn(0.5 + 0.3 * sign) else {
                panic!("a stop")
            };
            assert_eq!([wall[0][axis], wall[1][axis]], [0.5, 0.5]);
            assert!(left(wall)[axis] * sign < 0.0, "axis {axis}, {sign}");
        }
    }
}

#[test]
fn the_teeth_of_a_rack_are_steep_behind_the_pawl() {
    for axis in [0, 1] {
        for sign in [1.0, -1.0] {
            let (scale, drawn) = axial(Axial::Rack(Some([0.1, 0.25]), sign), axis);
            let Drawn::Rack(outline, [tip, ..]) = drawn(0.35) else {
                panic!("a rack")
            };
            assert!((tip[axis] - 0.35).abs() < 1e-12, "the pawl holds at its place");
            let (low, high) = (outline[1][axis], outline[0][axis]);
            assert!(low < scale.bounds[0][axis] && high > scale.bounds[1][axis]);
            assert!(outline.iter().all(|at| (low..=high).contains(&at[axis])));
            let inner = &outline[2..];
            let depth = |at: &Vector| (at - outline[0])[1 - axis].abs();
            let crest = inner.iter().map(depth).fold(0.0, f64::max);
            let crests: Vec<usize> = (0..inner.len()).filter(|&k| depth(&inner[k]) > crest - 1e-9).collect();
            assert!(crests.len() >= 3, "{}", crests.len());
            for k in crests {
                let at = inner[k][axis];
                let tooth = (at - 0.1) / 0.25;
                assert!((tooth - tooth.round()).abs() < 1e-9, "a tooth at {at}");
                let sides = [inner[k - 1], inner[k + 1]].map(|other| other[axis] - at);
                let [behind, before] = if sign > 0.0 {
                    [sides[0], sides[1]]
                } else {
                    [sides[1], sides[0]]
                };
                // What moves that way comes up the flank and falls behind the tooth.
                assert!(behind * sign < -0.1 && before == 0.0, "{sides:?}");
            }
        }
    }
}

#[test]
fn bars_are_thinner_where_many_lie_in_one_place() {
    let one = [link([[0.0; 3], [1.0, 0.0, 0.0]])];
    let many: Vec<Item> = (0..40)
        .map(|k| f64::from(k) / 40.0)
        .map(|t| link([[t, 0.0, 0.0], [1.0 - t, 1.0, 0.0]]))
        .collect();
    let bar = |items: &[Item]| {
        let scale = Scale::new(2, [items].into_iter());
        scale.bar / scale.extent()
    };
    assert!(bar(&many) < 0.6 * bar(&one));
    // One motion that is sampled at many instants is no crowd.
    let sampled = Scale::new(2, std::iter::repeat_n(&one[..], 40));
    assert_eq!(sampled.bar / sampled.extent(), bar(&one));
    assert!((bar(&one) - 0.014).abs() < 1e-12, "along a line as anywhere");
}

#[test]
fn a_mechanism_at_one_place_is_seen_with_room_about_it() {
    let scale = Scale::new(2, [&[link([[2.0, 3.0, 0.0]; 2])][..]].into_iter());
    assert_eq!(scale.centre(), Vector::new(2.0, 3.0, 0.0));
    assert!(scale.extent() > 1.0);
}

#[test]
fn what_has_no_place_is_not_drawn() {
    let items = [
        link([[f64::NAN, 0.0, 0.0], [1.0, 0.0, 0.0]]),
        link([[0.0; 3], [1.0, 0.0, 0.0]]),
    ];
    let scale = Scale::new(2, [&items[..]].into_iter());
    assert!(scale.extent().is_finite());
    let found = blocks(&items, &scale);
    assert!(found.iter().any(|block| block.item == 1));
    assert!(found.iter().all(|block| {
        block
            .origin
            .iter()
            .chain(block.axes.iter().flatten())
            .all(|x| x.is_finite())
    }));
}

#[test]
fn stretched_meshes_enclose_the_stretched_volume_and_look_outwards() {
    let axes = [[2.0, 0.5, 0.0], [-0.3, 1.0, 0.2], [0.1, 0.0, -3.0]].map(Vector::from);
    let factor = axes[0].dot(&axes[1].cross(&axes[2]));
    assert!(factor < 0.0, "the axes are mirrored");
    for unit in Unit::ALL {
        let stretched = unit.mesh().stretched(&axes);
        let found = enclosed(&stretched);
        let expected = factor.abs() * volume(unit);
        assert!((found - expected).abs() < 1e-9 * expected.abs(), "{unit:?}: {found}");
    }
    // The normals of round meshes are not those of their faces, and may part from them further.
    for unit in [Unit::Cube, Unit::Prism] {
        assert_outward(&unit.mesh().stretched(&axes), unit);
    }
}

#[test]
fn a_greater_layer_lies_in_front_of_all_of_a_smaller_one_and_behind_the_joints() {
    let layer = |from: f64| Layer { from, part: 0.5 };
    let behind = Item {
        layer: layer(0.0),
        height: 1.0,
        ..link([[0.0; 3], [1.0, 0.0, 0.0]])
    };
    let plate = Shape::Plate(
        Vector::new(0.5, 0.2, 0.0),
        [[0.0, 0.0], [1.0, 0.0], [0.5, 0.6]]
            .map(|[x, y]| Vector::new(x, y, 0.0))
            .to_vec(),
    );
    let front = Item {
        layer: layer(0.5),
        shape: plate,
        given: Some([1, 2, 3]),
        colour: [1, 2, 3],
        ..behind.clone()
    };
    let pin = Item {
        shape: Shape::Joint(Vector::zeros(), super::Fastening::Pin),
        ..behind.clone()
    };
    let items = [front, behind, pin];
    let scale = Scale::new(2, [&items[..]].into_iter());
    let found = blocks(&items, &scale);
    let top = |block: &super::Block| {
        let raised: f64 = block.axes.iter().map(|axis| axis.z.abs()).sum();
        // A cube lies about its origin, what else is flat on top of it.
        block.origin.z + if block.unit == Unit::Cube { raised / 2.0 } else { raised }
    };
    let tops = |item: usize, material: Material| {
        let of_item = found
            .iter()
            .filter(move |block| block.item == item && block.material == material);
        of_item
            .filter(|block| block.unit != Unit::Prism)
            .map(top)
            .collect::<Vec<_>>()
    };
    let (lower, upper, joint) = (tops(1, Material::Body), tops(0, Material::Body), tops(2, Material::Rim));
    let least = |tops: &[f64]| tops.iter().copied().fold(f64::INFINITY, f64::min);
    let most = |tops: &[f64]| tops.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    assert!(
        most(&lower) < least(&upper) && most(&upper) < least(&joint),
        "{lower:?} {upper:?} {joint:?}"
    );
    for block in found.iter().filter(|block| block.item == 0) {
        let is_centre = block.material == Material::Mass;
        assert_eq!(block.colour == [1, 2, 3], !is_centre, "{:?}", block.material);
    }
}
