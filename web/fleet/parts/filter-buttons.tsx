import type { JSX } from 'preact';
import { inDigits } from './usage-bar.tsx';

interface Props {
  label: string;
  /** Value, name and number of rows; the value '' is all. */
  options: readonly (readonly [value: string, name: string, count: number])[];
  value: string;
  onChange: (value: string) => void;
}

/** A choice of one filter, with the number of rows that each has. */
export function FilterButtons({ label, options, value, onChange }: Props): JSX.Element {
  return (
    <div class="filters" role="group" aria-label={label}>
      {options.map(([option, name, count]) => (
        <button
          key={option}
          type="button"
          aria-pressed={option === value}
          onClick={() => {
            onChange(option);
          }}
        >
          {name} <span>{inDigits(count)}</span>
        </button>
      ))}
    </div>
  );
}
