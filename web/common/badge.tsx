import type { ComponentChildren, JSX } from 'preact';
import { Icon, type IconName } from './icons.tsx';

export type Tone = 'good' | 'warn' | 'bad' | 'busy' | 'quiet';

const ICONS: Readonly<Record<Tone, IconName>> = {
  good: 'check',
  warn: 'alert',
  bad: 'cross',
  busy: 'spinner',
  quiet: 'power',
};

/** A state in a word, with an icon and a colour that say the same. */
export function Badge({
  tone,
  icon,
  children,
}: {
  tone: Tone;
  icon?: IconName;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <span class={`badge ${tone}`}>
      <Icon name={icon ?? ICONS[tone]} class={tone === 'busy' ? 'spin' : ''} />
      {children}
    </span>
  );
}
