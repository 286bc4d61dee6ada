import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';
import { Icon, type IconName } from './icons.tsx';
import { useNotices } from './use-notices.ts';

interface Props {
  children?: ComponentChildren;
  kind?: 'primary' | 'danger' | 'plain' | undefined;
  icon?: IconName | undefined;
  isNarrow?: boolean | undefined;
  /** Name of a button that shows only its icon. */
  label?: string | undefined;
  /**
   * Why it cannot be used now. It stays reachable by the keyboard, so that the reason can be read. Touch has neither
   * focus nor hover: who presses it is told.
   */
  reason?: string | undefined;
  /** Its action is running. */
  isBusy?: boolean | undefined;
  type?: 'button' | 'submit';
  isPressed?: boolean | undefined;
  /** Of a button that shows a list. */
  isExpanded?: boolean | undefined;
  onClick?: (() => void) | undefined;
}

export function Button(props: Props): JSX.Element {
  const { children, kind = '', icon, label, reason, isBusy = false, type = 'button', onClick } = props;
  const id = useId();
  const notices = useNotices();
  const isOff = reason !== undefined || isBusy;
  const shape = `${children === undefined ? 'square' : ''} ${props.isNarrow ? 'narrow' : ''}`;
  return (
    <>
      <button
        type={type}
        class={`button ${kind} ${shape}`}
        aria-disabled={isOff ? 'true' : undefined}
        aria-label={label}
        aria-pressed={props.isPressed}
        aria-expanded={props.isExpanded}
        aria-describedby={reason === undefined ? undefined : id}
        title={children === undefined && reason === undefined ? label : undefined}
        data-reason={reason}
        onClick={(event) => {
          if (isOff) event.preventDefault();
          else onClick?.();
          if (reason !== undefined) notices.refused(reason);
        }}
      >
        {isBusy ? <Icon name="spinner" class="spin" /> : icon && <Icon name={icon} />}
        {children}
      </button>
      {reason !== undefined && (
        <span id={id} class="hidden">
          {reason}
        </span>
      )}
    </>
  );
}
