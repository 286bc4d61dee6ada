import type { Hardware } from '../../../machine/index.ts';
import type { Resource, Route } from '../../resource.ts';
import { link } from '../../uris.ts';
import { WELL } from '../health.ts';
import { partRoutes, partUri, singleRoutes } from '../part.ts';
import { DRIVES, STORAGE } from '../paths.ts';
import { controllersOf } from './controllers.ts';
import { drivesOf } from './drives.ts';
import { fixedDisksOf } from './fixed-disks.ts';
import { volumes } from './volumes.ts';

/** All disks are in one Storage. */
export function storageRoutes(hardware: () => Hardware): Route[] {
  const disks = (): ReturnType<typeof fixedDisksOf> => fixedDisksOf(hardware());
  const storage: Resource = {
    type: 'Storage.v1_21_0.Storage',
    read: () => {
      const drives = disks().map(({ name }) => link(partUri(DRIVES, name)));
      return {
        Id: '1',
        Name: 'Disks',
        Controllers: link(`${STORAGE}/1/Controllers`),
        Drives: drives,
        'Drives@odata.count': drives.length,
        Volumes: link(`${STORAGE}/1/Volumes`),
        Status: WELL,
      };
    },
  };
  return [
    ...singleRoutes(STORAGE, 'StorageCollection', 'Storage', () => storage),
    ...partRoutes(`${STORAGE}/1/Controllers`, 'StorageControllerCollection', 'Storage controllers', () =>
      controllersOf(disks()),
    ),
    ...partRoutes(DRIVES, 'DriveCollection', 'Drives', () => drivesOf(disks())),
    { path: `${STORAGE}/1/Volumes`, find: () => volumes },
  ];
}
