import type { ComponentChildren, JSX } from 'preact';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

interface Props {
  title: string;
  /** What happens after a yes. */
  children: ComponentChildren;
  /** The label of the button for yes. */
  yes: string;
  /** Whether something can be lost. */
  isDangerous?: boolean;
  onAnswer: (isYes: boolean) => void;
}

/** Asks before an action. To close the dialog is a no. */
export function Confirmation({ title, children, yes, isDangerous = true, onAnswer }: Props): JSX.Element {
  const no = (): void => {
    onAnswer(false);
  };
  return (
    <Dialog title={title} onClose={no}>
      <p>{children}</p>
      <div class="buttons">
        <Button onClick={no}>Cancel</Button>
        <Button
          kind={isDangerous ? 'danger' : 'primary'}
          onClick={() => {
            onAnswer(true);
          }}
        >
          {yes}
        </Button>
      </div>
    </Dialog>
  );
}
