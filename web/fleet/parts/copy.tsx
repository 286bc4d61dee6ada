import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Button } from '../../common/button.tsx';
import { useCopy } from '../../common/use-copy.ts';

/** ms for which the button says that the text was copied. */
const SAID = 2_000;

/** A text to copy: an address or a command. */
export function Copy({ text, what }: { text: string; what: string }): JSX.Element {
  const copy = useCopy();
  const [isDone, setDone] = useState(false);
  useEffect(() => {
    if (!isDone) return undefined;
    const timer = setTimeout(setDone, SAID, false);
    return () => {
      clearTimeout(timer);
    };
  }, [isDone]);
  return (
    <span class="copy">
      <code>{text}</code>
      <Button
        kind="plain"
        isNarrow
        icon={isDone ? 'check' : 'copy'}
        label={isDone ? 'Copied' : `Copy ${what}`}
        onClick={() => {
          void copy(text).then(setDone);
        }}
      />
    </span>
  );
}
