import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../common/button.tsx';
import { TextField } from '../common/field.tsx';
import { Gate } from '../common/gate.tsx';
import { Message } from '../common/states.tsx';
import { useSubmit } from '../common/use-submit.ts';
import { keyIn } from './data/session.ts';

interface Props {
  /** Why there is no session; '' if the page was only opened. */
  message: string;
  /** Tries the session again, if that may help. */
  retry: (() => void) | undefined;
  onKey: (key: string) => Promise<void>;
}

/** How to get a session. */
export function Locked({ message, retry, onKey }: Props): JSX.Element {
  const [text, setText] = useState('');
  const { onSubmit, problem, isBusy } = useSubmit(async () => {
    const key = keyIn(text);
    if (key === '') throw new Error('This is neither the link nor its key.');
    await onKey(key);
  });
  return (
    <Gate name="Groundcrew">
      <form class="form" onSubmit={onSubmit}>
        <h1>{retry === undefined ? 'Open the link that groundcrew web printed' : 'The status cannot be read'}</h1>
        {message !== '' && (
          <Message tone={retry === undefined ? 'info' : 'bad'} isAlert>
            {message}
          </Message>
        )}
        {retry !== undefined && (
          <Button kind="primary" onClick={retry}>
            Try again
          </Button>
        )}
        <p>
          The link is in the terminal where <code>groundcrew web</code> runs. It works once; after that the terminal
          shows a new one for the next browser.
        </p>
        <TextField
          label="Or paste the link here"
          value={text}
          onInput={setText}
          placeholder="http://127.0.0.1:…/#key=…"
          wrong={problem?.message}
          isRequired
        />
        <Button type="submit" kind={retry === undefined ? 'primary' : undefined} isBusy={isBusy}>
          Open
        </Button>
      </form>
    </Gate>
  );
}
