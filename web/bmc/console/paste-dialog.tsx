import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../../common/button.tsx';
import { Dialog } from '../../common/dialog.tsx';
import { TextField } from '../../common/field.tsx';
import { Message } from '../../common/states.tsx';
import type { Checked } from './typing-check.ts';

interface Props {
  hint: string;
  check?: (text: string) => Checked;
  onType: (text: string) => void;
  onClose: () => void;
}

/** Text that is typed in the machine: browsers do not give the clipboard to a page by itself. */
export function PasteDialog({ hint, check = () => ({}), onType, onClose }: Props): JSX.Element {
  const [text, setText] = useState('');
  const { refusal, warning } = check(text);
  return (
    <Dialog title="Type text in the machine" onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          onClose();
          onType(text);
        }}
      >
        <TextField label="Text" value={text} onInput={setText} hint={hint} wrong={refusal} isLong />
        <div role="status">{warning !== undefined && <Message tone="warn">{warning}</Message>}</div>
        <div class="buttons">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" reason={text === '' ? 'Enter a text first.' : refusal}>
            {warning === undefined ? 'Type' : 'Type without them'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
