// Light or dark: as the system is set, until the button is pressed.

export function connectTheme(button, changed) {
  const system = matchMedia('(prefers-color-scheme: dark)');
  let chosen = null;
  const show = () => {
    const dark = chosen ?? system.matches;
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
    button.textContent = dark ? 'Light' : 'Dark';
    button.setAttribute('aria-label', dark ? 'Light colours' : 'Dark colours');
    changed(dark);
  };
  button.addEventListener('click', () => {
    chosen = !(chosen ?? system.matches);
    show();
  });
  system.addEventListener('change', show);
  show();
}
