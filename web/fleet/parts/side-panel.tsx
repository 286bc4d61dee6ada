import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Button } from '../../common/button.tsx';

interface Props {
  title: string;
  /** Beside the title, in smaller letters. */
  subtitle?: string;
  /** Identity of the object: another one begins at its heading. */
  of: string;
  onClose: () => void;
  children: ComponentChildren;
}

/** All about one row, beside the table or, in a narrow window, above it. Escape closes it, and the row has the focus again. */
export function SidePanel({ title, subtitle, of, onClose, children }: Props): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null);
  const id = useId();
  useEffect(() => {
    const opener = document.activeElement;
    heading.current?.focus();
    return () => {
      if (opener instanceof HTMLElement) opener.focus({ preventScroll: true });
    };
  }, [of]);
  useEffect(() => {
    // Also from what the panel covers: what has the focus must be seen.
    addEventListener('keydown', leave);
    return () => {
      removeEventListener('keydown', leave);
    };

    function leave({ key, target }: KeyboardEvent): void {
      // In a search with a text Escape clears the text.
      const isSearch = target instanceof HTMLInputElement && target.value !== '';
      if (key === 'Escape' && !isSearch) onClose();
    }
  }, [onClose]);
  return (
    <aside class="panel" aria-labelledby={id}>
      <header>
        <h2 ref={heading} id={id} tabIndex={-1}>
          {title}
          {subtitle !== undefined && <span class="quiet small"> {subtitle}</span>}
        </h2>
        <Button kind="plain" icon="close" label="Close" onClick={onClose} />
      </header>
      {children}
    </aside>
  );
}
