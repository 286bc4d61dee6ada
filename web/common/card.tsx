import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';

interface Props {
  title: ComponentChildren;
  children: ComponentChildren;
  /** Beside the title. */
  aside?: ComponentChildren;
  /** The content reaches the edges, as a table does. */
  isFlush?: boolean;
  class?: string;
}

export function Card({ title, children, aside, isFlush = false, class: more = '' }: Props): JSX.Element {
  const id = useId();
  return (
    <section class={`card ${isFlush ? 'flush' : ''} ${more}`} aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}

/** Names and values. Absent values are left out. */
export function Facts({ of }: { of: readonly (readonly [name: string, value: ComponentChildren])[] }): JSX.Element {
  return (
    <dl class="facts">
      {of
        .filter(([, value]) => value !== undefined && value !== null && value !== '')
        .map(([name, value]) => (
          <>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </>
        ))}
    </dl>
  );
}
