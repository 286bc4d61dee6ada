import type { JSX } from 'preact';

export interface Part {
  readonly name: string;
  readonly count: number;
  /** Class with its colour and pattern. */
  readonly look: 'good' | 'accent' | 'warn' | 'bad' | 'quiet' | 'free';
}

/** A bar of parts of a whole, and a legend that says the same in numbers. Parts of 0 have no place in the bar. */
export function UsageBar({ label, parts }: { label: string; parts: readonly Part[] }): JSX.Element {
  const words = parts.map(({ name, count }) => `${inDigits(count)} ${name}`).join(', ');
  return (
    <div class="usage">
      <div class="usage-bar" role="img" aria-label={`${label}: ${words}`}>
        {parts
          .filter(({ count }) => count > 0)
          .map(({ name, count, look }) => (
            <span key={name} class={`look-${look}`} style={{ flexGrow: count }} title={`${inDigits(count)} ${name}`} />
          ))}
      </div>
      <ul class="usage-legend" aria-hidden="true">
        {parts.map(({ name, count, look }) => (
          <li key={name}>
            <span class={`swatch look-${look}`} />
            <strong>{inDigits(count)}</strong> {name}
          </li>
        ))}
      </ul>
    </div>
  );
}

const FORMAT = new Intl.NumberFormat('en');

/** A number with separators of thousands. */
export function inDigits(count: number): string {
  return FORMAT.format(count);
}
