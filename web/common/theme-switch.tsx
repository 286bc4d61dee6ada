import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from './button.tsx';

const KEY = 'groundcrew.theme';
const THEMES = ['system', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

const ICONS = { system: 'system', light: 'sun', dark: 'moon' } as const;

/** Applies the theme that the reader has chosen in this browser. Call it before the first rendering. */
export function applyTheme(theme: Theme = chosenTheme()): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

export function ThemeSwitch(): JSX.Element {
  const [theme, setTheme] = useState(chosenTheme);
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system';
  return (
    <Button
      kind="plain"
      icon={ICONS[theme]}
      label={`Colours: ${theme}. Change to ${next}`}
      onClick={() => {
        setTheme(next);
        applyTheme(next);
        keep(next);
      }}
    />
  );
}

function chosenTheme(): Theme {
  try {
    const kept = localStorage.getItem(KEY);
    return THEMES.find((theme) => theme === kept) ?? 'system';
  } catch {
    // Storage is switched off: the choice lasts until the page is left.
    return 'system';
  }
}

function keep(theme: Theme): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // As above.
  }
}
