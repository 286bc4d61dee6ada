import type { JSX } from 'preact';
import { Button } from '../../common/button.tsx';
import type { ConsoleState } from './use-console.ts';

interface Props {
  state: ConsoleState;
  /** Shown in place of a state that is no problem, such as a machine that is off. */
  note: string | undefined;
  onConnect: () => void;
}

/** What lies over a console while it shows nothing of the machine. */
export function ConsoleCover({ state, note, onConnect }: Props): JSX.Element | null {
  const words = wordsOf(state) ?? note;
  if (words === undefined) return null;
  const canConnect = state.kind === 'ended' || state.kind === 'failed';
  return (
    <div class="console-cover" role="status">
      <div>
        <strong>{words}</strong>
        {state.kind === 'ended' && state.reconnects && <span>It is opened again by itself.</span>}
        {canConnect && <Button onClick={onConnect}>Connect</Button>}
      </div>
    </div>
  );
}

function wordsOf(state: ConsoleState): string | undefined {
  if ('text' in state) return state.text;
  return state.kind === 'open' ? undefined : 'Connecting …';
}
