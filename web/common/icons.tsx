import type { JSX } from 'preact';

/** Outlines on a grid of 24. */
const SHAPES = {
  activity: 'M3 12h4l3-8 4 16 3-8h4',
  alert: 'M12 4 2.8 19.5h18.4zM12 10v4.5M12 17.2v.1',
  certificate: 'M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6zM9 12l2.2 2.2L15.5 10',
  check: 'M4.5 12.5l5 5 10-11',
  clock: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7v5l3.5 2',
  close: 'M6 6l12 12M18 6L6 18',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  cross: 'M7 7l10 10M17 7L7 17',
  disc: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 10a2 2 0 1 0 0 4 2 2 0 0 0 0-4z',
  down: 'M12 5v14M6 13l6 6 6-6',
  external: 'M13 4h7v7M20 4l-9 9M17 14v6H4V7h6',
  gauge: 'M4 18a9 9 0 1 1 16 0M12 14l4-5',
  gear: 'M4 7h10M18 7h2M4 17h2M10 17h10M16 5v4M8 15v4',
  grid: 'M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z',
  info: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 11v5M12 7.8v.1',
  list: 'M8 6h12M8 12h12M8 18h12M4 6h.1M4 12h.1M4 18h.1',
  menu: 'M4 7h16M4 12h16M4 17h16',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z',
  network: 'M9 3h6v5H9zM3 16h6v5H3zM15 16h6v5h-6zM12 8v4M6 16v-4h12v4',
  logout: 'M14 4h5v16h-5M4 12h10M10 8l4 4-4 4',
  pause: 'M8 5v14M16 5v14',
  power: 'M12 3v9M6.5 7a8 8 0 1 0 11 0',
  screen: 'M3 5h18v11H3zM9 20h6M12 16v4',
  serial: 'M3 5h18v14H3zM7 10l3 2.5L7 15M12.5 15.5H17',
  server: 'M4 4h16v7H4zM4 13h16v7H4zM8 7.5h.1M8 16.5h.1',
  sessions: 'M4 5h16v11H4zM2 20h20',
  spinner: 'M12 3a9 9 0 1 0 9 9',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2.5M12 19.5V22M2 12h2.5M19.5 12H22M5 5l1.7 1.7M17.3 17.3L19 19M19 5l-1.7 1.7M6.7 17.3L5 19',
  system: 'M12 3a9 9 0 1 0 0 18zM12 3a9 9 0 1 1 0 18',
  tasks: 'M4 6l1.5 1.5L8 5M11 6.5h9M4 12l1.5 1.5L8 11M11 12.5h9M4 18l1.5 1.5L8 17M11 18.5h9',
  up: 'M12 19V5M6 11l6-6 6 6',
  users:
    'M9 4.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM2.5 20c0-3.5 3-5.5 6.5-5.5s6.5 2 6.5 5.5M16 5a3.5 3.5 0 0 1 0 6.5M18 15c2 .6 3.5 2.3 3.5 5',
} as const;

export type IconName = keyof typeof SHAPES;

/** Decoration beside a word that says the same. */
export function Icon({ name, class: more = '' }: { name: IconName; class?: string }): JSX.Element {
  return (
    <svg class={`icon ${more}`} viewBox="0 0 24 24" aria-hidden="true">
      <path d={SHAPES[name]} />
    </svg>
  );
}
