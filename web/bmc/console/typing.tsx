import type { JSX, RefObject } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { Button } from '../../common/button.tsx';
import { useNotices } from '../../common/use-notices.ts';
import type { ScreenLine } from './screen-line.ts';
import { grouped } from './typing-check.ts';
import { strokesOf } from './us-layout.ts';

/** Keys from one look at the progress to the next. */
const STEP = 5;

interface Progress {
  readonly done: number;
  readonly total: number;
}

export interface Typing {
  begin(text: string): void;
  /** The progress, while a text is typed; a page renders it over the screen. */
  readonly bar: JSX.Element | null;
}

/** Types texts on the screen, and says when not all of one was typed. */
export function useTyping(line: RefObject<ScreenLine | null>): Typing {
  const notices = useNotices();
  const [progress, setProgress] = useState<Progress>();
  const stop = useRef<AbortController>(null);
  const begin = (text: string): void => {
    const screen = line.current;
    const { strokes } = strokesOf(text);
    if (screen === null || strokes.length === 0) return;
    const control = new AbortController();
    stop.current = control;
    const total = strokes.length;
    let done = 0;
    setProgress({ done, total });
    // The dialog gives the focus back to its button first.
    setTimeout(() => {
      screen.rfb.focus();
    });
    const typed = (count: number): void => {
      done = count;
      if (count % STEP === 0) setProgress({ done, total });
    };
    void screen.type(strokes, control.signal, typed).then(() => {
      setProgress(undefined);
      const sum = `${grouped(done)} of ${grouped(total)} characters were typed`;
      if (done === total) notices.done(`${sum}.`);
      else if (control.signal.aborted) notices.done(`Stopped: ${sum}.`);
      else {
        notices.failed({
          message: `${sum}; then the screen was not live any more.`,
          resolution: 'The last of them may not have arrived. Look at the screen before you type the rest.',
        });
      }
    });
  };
  const end = (): void => {
    stop.current?.abort();
    line.current?.rfb.focus();
  };
  return { begin, bar: progress === undefined ? null : <Bar progress={progress} onStop={end} /> };
}

function Bar({ progress: { done, total }, onStop }: { progress: Progress; onStop: () => void }): JSX.Element {
  return (
    <div class="typing">
      <div class="progress">
        <progress max={total} value={done} aria-label="Typed characters" />
        <span>
          Typing: {grouped(done)} of {grouped(total)}
        </span>
      </div>
      <Button isNarrow onClick={onStop}>
        Stop
      </Button>
    </div>
  );
}
