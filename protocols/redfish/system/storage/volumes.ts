import { collection } from '../../collection.ts';
import { base, RedfishError } from '../../messages/index.ts';
import type { Resource } from '../../resource.ts';

const none = collection('VolumeCollection', 'Volumes', () => []);

/** Always empty: no controller supports volumes. Ironic's profile requires the collection. */
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
