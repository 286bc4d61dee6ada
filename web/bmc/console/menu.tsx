import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../../common/button.tsx';
import type { IconName } from '../../common/icons.tsx';

interface Props {
  label: string;
  icon?: IconName;
  reason?: string | undefined;
  items: readonly { readonly label: string; readonly onChoose: () => void }[];
  isRight?: boolean;
}

/** A button that shows a list of commands. Escape and a click elsewhere close it. */
export function Menu({ label, icon, reason, items, isRight = false }: Props): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!isOpen) return undefined;
    place.current?.querySelector<HTMLElement>('ul button')?.focus();
    const close = (event: Event): void => {
      if (!(event.target instanceof Node && place.current?.contains(event.target))) setOpen(false);
    };
    addEventListener('pointerdown', close);
    addEventListener('focusin', close);
    return () => {
      removeEventListener('pointerdown', close);
      removeEventListener('focusin', close);
    };
  }, [isOpen]);
  return (
    <div
      ref={place}
      class={`menu ${isRight ? 'right' : ''}`}
      onKeyDown={(event) => {
        if (!isOpen) return;
        if (event.key === 'Escape') {
          setOpen(false);
          place.current?.querySelector('button')?.focus();
        }
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (step === undefined) return;
        event.preventDefault();
        const all = [...(place.current?.querySelectorAll<HTMLElement>('ul button') ?? [])];
        const now = all.indexOf(document.activeElement as HTMLElement);
        all[(now + step + all.length) % all.length]?.focus();
      }}
    >
      <Button
        icon={icon}
        reason={reason}
        isExpanded={isOpen}
        isNarrow
        onClick={() => {
          setOpen(!isOpen);
        }}
      >
        {label}
      </Button>
      {isOpen && (
        <ul>
          {items.map((item) => (
            <li key={item.label}>
              <button
                type="button"
                onClick={() => {
                  setOpen(false);
                  // The item goes away with the focus.
                  place.current?.querySelector('button')?.focus();
                  item.onChoose();
                }}
              >
                {item.label}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
