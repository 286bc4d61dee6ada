import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../common/button.tsx';
import { Icon } from '../common/icons.tsx';
import { ThemeSwitch } from '../common/theme-switch.tsx';
import { PowerBadge } from './overview/power-state.tsx';
import { useBmc, useResource } from './redfish/bmc-context.ts';
import type { ComputerSystem } from './redfish/resources.ts';
import { SYSTEM } from './redfish/uris.ts';
import { ROUTES, useRoute } from './routes.ts';

/** What surrounds each page: the machine and its power state, the user, and the way to the other pages. */
export function Shell(): JSX.Element {
  const route = useRoute();
  const { client, isLive } = useBmc();
  const { body: system, problem } = useResource<ComputerSystem>(SYSTEM, { every: isLive ? 15_000 : undefined });
  const [isOpen, setOpen] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  const isFirst = useRef(true);
  const name = system?.Name ?? '';

  useEffect(() => {
    document.title = [route.title, name, 'BMC'].filter((part) => part !== '').join(' · ');
  }, [route, name]);
  useEffect(() => {
    setOpen(false);
    // A new page begins at its heading, for the eye and for screen readers.
    if (!isFirst.current) heading.current?.focus();
    isFirst.current = false;
    scrollTo(0, 0);
  }, [route]);

  const Page = route.page;
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
        <a class="brand" href="#/overview">
          <Icon name="server" />
          <span class="machine">{name === '' ? 'BMC' : name}</span>
        </a>
        <PowerBadge state={system?.PowerState} />
        <span class="bar-space" />
        {problem !== undefined && problem.status === 0 && (
          <span class="offline" role="status">
            No connection to the BMC
          </span>
        )}
        <span class="who" title={`${client.caller.user}, ${client.caller.role}`}>
          <strong>{client.caller.user}</strong>
          <span class="quiet small">{client.caller.role}</span>
        </span>
        <ThemeSwitch />
        <Button
          kind="plain"
          icon="logout"
          label="Log out"
          onClick={() => {
            void client.logOut();
          }}
        />
      </header>
      <nav class={`side ${isOpen ? 'open' : ''}`} aria-label="Pages">
        <ul>
          {ROUTES.map(({ path, title, icon }) => (
            <li key={path}>
              <a
                href={`#/${path}`}
                aria-current={path === route.path ? 'page' : undefined}
                onClick={() => {
                  setOpen(false);
                }}
              >
                <Icon name={icon} />
                {title}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <main class="content" id="content">
        <h1 ref={heading} tabIndex={-1}>
          {route.title}
        </h1>
        <Page key={route.path} />
      </main>
    </div>
  );
}
