import type { ComponentChildren, JSX } from 'preact';

/** A page, and the panel of the object that is open on it. */
export function WithPanel({ panel, children }: { panel: ComponentChildren; children: ComponentChildren }): JSX.Element {
  return (
    <div class={`with-panel ${panel === undefined ? '' : 'open'}`}>
      <div class="beside-panel">{children}</div>
      {panel}
    </div>
  );
}
