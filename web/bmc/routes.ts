import type { ComponentType } from 'preact';
import type { Place } from '../common/frame.tsx';
import { useHashPath } from '../common/use-hash-path.ts';
import { Overview } from './overview/overview.tsx';
import { Serial } from './console/serial.tsx';
import { Screen } from './console/screen.tsx';
import { Media } from './media/media.tsx';
import { EventLog } from './pages/event-log.tsx';
import { Sensors } from './pages/sensors.tsx';
import { Tasks } from './pages/tasks.tsx';
import { Users } from './pages/users.tsx';
import { CertificatePage } from './pages/certificate.tsx';
import { Sessions } from './pages/sessions.tsx';
import { Settings } from './pages/settings.tsx';

interface Route extends Place {
  readonly page: ComponentType;
}

const FIRST: Route = { path: 'overview', title: 'Overview', icon: 'server', page: Overview };

export const ROUTES: readonly Route[] = [
  FIRST,
  { path: 'screen', title: 'Screen', icon: 'screen', page: Screen },
  { path: 'serial', title: 'Serial console', icon: 'serial', page: Serial },
  { path: 'media', title: 'Virtual media', icon: 'disc', page: Media },
  { path: 'log', title: 'Event log', icon: 'list', page: EventLog },
  { path: 'sensors', title: 'Sensors', icon: 'gauge', page: Sensors },
  { path: 'tasks', title: 'Tasks', icon: 'tasks', page: Tasks },
  { path: 'users', title: 'Users', icon: 'users', page: Users },
  { path: 'sessions', title: 'Sessions', icon: 'sessions', page: Sessions },
  { path: 'certificate', title: 'Certificate', icon: 'certificate', page: CertificatePage },
  { path: 'settings', title: 'Settings', icon: 'gear', page: Settings },
];

/** The page of the URL's fragment. */
export function useRoute(): Route {
  const path = useHashPath();
  return ROUTES.find((route) => route.path === path) ?? FIRST;
}
