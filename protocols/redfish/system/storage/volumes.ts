import { collection } from '../../collection.ts';
import { base, RedfishError } from '../../messages/index.ts';
import type { Resource } from '../../resource.ts';

const none = collection('VolumeCollection', 'Volumes', () => []);

/**
 * No controller makes volumes of the disks, so there are none, and there can be none. Ironic's profile takes no Storage whose volumes
 * cannot be asked for at all; whoever asks is told at once.
 */
export const volumes: Resource = {
  ...none,
  read: async () => ({
    ...(await none.read()),
    '@Redfish.OperationApplyTimeSupport': {
      '@odata.type': '#Settings.v1_4_0.OperationApplyTimeSupport',
      SupportedValues: ['Immediate'],
    },
  }),
  create: {
    rules: { kind: 'object', properties: {}, isOpen: true },
    apply: () =>
      Promise.reject(
        new RedfishError(409, [
          {
            ...base('CreateLimitReachedForResource'),
            Resolution: 'Add disks to the virtual machine: it has no RAID controller.',
          },
        ]),
      ),
  },
};
