import type { ComponentChildren, JSX } from 'preact';
import { Icon } from './icons.tsx';
import { ThemeSwitch } from './theme-switch.tsx';

/** What stands before the pages: a card in the middle of the window. */
export function Gate({ name, children }: { name: string; children: ComponentChildren }): JSX.Element {
  return (
    <main class="log-in">
      <div class="log-in-card">
        <div class="log-in-head">
          <span class="brand">
            <Icon name="server" />
            {name}
          </span>
          <ThemeSwitch />
        </div>
        {children}
      </div>
    </main>
  );
}
