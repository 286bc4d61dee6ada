import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button } from './button.tsx';
import { Icon, type IconName } from './icons.tsx';
import { ThemeSwitch } from './theme-switch.tsx';

/** A page in the menu. */
export interface Place {
  /** Part of the URL behind `#/`. */
  readonly path: string;
  readonly title: string;
  readonly icon: IconName;
}

interface Props {
  places: readonly Place[];
  /** Path of the place that is shown. */
  current: string;
  /** Heading of the page. */
  title: string;
  /** Identity of the page; a new one begins at its heading. Default: `current`. */
  pageKey?: string;
  /** Title of the window. */
  windowTitle: string;
  /** At the left of the bar, a link to the first place. */
  brand: string;
  /** Beside the brand. */
  state?: ComponentChildren;
  /** At the right of the bar, before the buttons. */
  notes?: ComponentChildren;
  /** Numbers beside places, by path, with what they count in words. */
  counts?: Readonly<Record<string, { count: number; what: string }>>;
  onLogOut: () => void;
  children: ComponentChildren;
}

/** What surrounds each page: a bar with the identity and the state of the whole, and the way to the other pages. */
export function Frame(props: Props): JSX.Element {
  const { places, current, title, pageKey = current, windowTitle, counts = {} } = props;
  const [isOpen, setOpen] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  const isFirst = useRef(true);

  useEffect(() => {
    document.title = windowTitle;
  }, [windowTitle]);
  // A new page begins at its heading, for the eye and for screen readers. It does so before it is seen: a later effect
  // would take the focus from what was chosen on it.
  useLayoutEffect(() => {
    setOpen(false);
    if (!isFirst.current) heading.current?.focus();
    isFirst.current = false;
    scrollTo(0, 0);
  }, [pageKey]);

  return (
    <div class="shell">
      <a
        class="skip"
        href="#content"
        onClick={(event) => {
          event.preventDefault();
          heading.current?.focus();
        }}
      >
        Skip to the content
      </a>
      <header class="bar">
        <span class="menu-button">
          <Button
            kind="plain"
            icon={isOpen ? 'close' : 'menu'}
            label={isOpen ? 'Close the menu' : 'Menu'}
            onClick={() => {
              setOpen(!isOpen);
            }}
          />
        </span>
        <a class="brand" href={`#/${places[0]?.path ?? ''}`}>
          <Icon name="server" />
          <span class="name">{props.brand}</span>
        </a>
        {props.state}
        <span class="bar-space" />
        {props.notes}
        <ThemeSwitch />
        <Button kind="plain" icon="logout" label="Log out" onClick={props.onLogOut} />
      </header>
      <nav class={`side ${isOpen ? 'open' : ''}`} aria-label="Pages">
        <ul>
          {places.map(({ path, title: name, icon }) => (
            <li key={path}>
              <a
                href={`#/${path}`}
                aria-current={path === current ? 'page' : undefined}
                onClick={() => {
                  setOpen(false);
                }}
              >
                <Icon name={icon} />
                {name}
                <Count of={counts[path]} />
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <main class="content" id="content">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {props.children}
      </main>
    </div>
  );
}

function Count({ of }: { of: { count: number; what: string } | undefined }): JSX.Element | null {
  if (of === undefined || of.count === 0) return null;
  return (
    <span class="count">
      {of.count}
      <span class="hidden"> {of.what}</span>
    </span>
  );
}
