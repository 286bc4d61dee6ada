import type { ComponentChildren, JSX } from 'preact';
import { Button } from './button.tsx';
import { Icon, type IconName } from './icons.tsx';
import type { Trouble } from './use-notices.ts';

/** Where content will be. */
export function Loading({ what }: { what: string }): JSX.Element {
  return (
    <div class="loading" role="status">
      <span aria-hidden="true" />
      <span aria-hidden="true" />
      <span aria-hidden="true" />
      <div class="hidden">Loading {what}</div>
    </div>
  );
}

export function Empty({
  icon,
  title,
  children,
}: {
  icon: IconName;
  title: string;
  children?: ComponentChildren;
}): JSX.Element {
  return (
    <div class="empty">
      <Icon name={icon} />
      <strong>{title}</strong>
      {children !== undefined && <p>{children}</p>}
    </div>
  );
}

interface MessageProps {
  tone?: 'good' | 'warn' | 'bad' | 'info';
  children: ComponentChildren;
  /** Said by screen readers when it appears. */
  isAlert?: boolean;
}

const MESSAGE_ICONS = { good: 'check', warn: 'alert', bad: 'alert', info: 'info' } as const;

export function Message({ tone = 'info', children, isAlert = false }: MessageProps): JSX.Element {
  return (
    <div class={`message ${tone}`} role={isAlert ? 'alert' : undefined}>
      <Icon name={MESSAGE_ICONS[tone]} />
      <div>{children}</div>
    </div>
  );
}

export function Failure({ trouble, retry }: { trouble: Trouble; retry?: () => void }): JSX.Element {
  return (
    <Message tone="bad" isAlert>
      <strong>{trouble.message}</strong>
      {trouble.resolution !== undefined && <p>{trouble.resolution}</p>}
      {retry !== undefined && (
        <p>
          <Button isNarrow onClick={retry}>
            Try again
          </Button>
        </p>
      )}
    </Message>
  );
}
