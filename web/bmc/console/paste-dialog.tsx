import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../../common/button.tsx';
import { Dialog } from '../../common/dialog.tsx';
import { TextField } from '../../common/field.tsx';

interface Props {
  hint: string;
  onType: (text: string) => void;
  onClose: () => void;
}

/** Text that is typed in the machine: browsers do not give the clipboard to a page by itself. */
export function PasteDialog({ hint, onType, onClose }: Props): JSX.Element {
  const [text, setText] = useState('');
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
        <TextField label="Text" value={text} onInput={setText} hint={hint} isLong />
        <div class="buttons">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" reason={text === '' ? 'Enter a text first.' : undefined}>
            Type
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
