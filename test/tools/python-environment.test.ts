import { expect, it } from 'vitest';
import { environmentFolder, pyghmiVersion } from './python-environment.ts';

it('uses a separate environment for each content of the requirements', () => {
  const folder = (requirements: string) => environmentFolder(Buffer.from(requirements), { XDG_CACHE_HOME: '/cache' });
  expect(folder('pyghmi==1.6.19')).toMatch(/^\/cache\/groundcrew\/python-[0-9a-f]{12}$/);
  expect(folder('pyghmi==1.6.19')).not.toBe(folder('pyghmi==1.6.18'));
});

it('reads the pinned version', () => {
  expect(pyghmiVersion('# pyghmi\ncffi==2.1.1 \\\npyghmi==1.6.19 \\\n')).toBe('1.6.19');
  expect(pyghmiVersion()).toMatch(/^\d+\.\d+\.\d+$/);
});
