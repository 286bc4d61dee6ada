import { describe, expect, it } from 'vitest';
import { KubeClient } from '@groundcrew/controller-runtime';
import { ScriptedApi } from '@groundcrew/controller-runtime/testing';
import { hotplugsMedia, isOpen } from '../kubevirt-configuration.ts';

const gates = (featureGates: string[], disabledFeatureGates: string[] = [], version = 'v1.8.4') => ({
  spec: { configuration: { developerConfiguration: { featureGates, disabledFeatureGates } } },
  status: { observedKubeVirtVersion: version },
});

describe('declarative hot-plug', () => {
  it.each([
    [gates([]), false],
    [gates(['DeclarativeHotplugVolumes']), true],
    [gates(['DeclarativeHotplugVolumes', 'HotplugVolumes']), false],
    [gates([], [], 'v1.9.0'), true],
    [gates([], [], 'v2.0.0'), true],
    [gates([], ['DeclarativeHotplugVolumes'], 'v1.9.0'), false],
    [gates(['HotplugVolumes'], [], 'v1.9.0'), false],
    [{}, false],
  ])('of %j is open: %s', (kubeVirt, expected) => {
    expect(isOpen(kubeVirt)).toBe(expected);
  });

  it('is taken for closed where nobody says', async () => {
    const api = new ScriptedApi();
    const client = new KubeClient({ transport: api, fieldManager: 'test' });
    for (const status of [403, 404]) {
      api.intercept = () => ({ status, body: 'no' });
      expect(await hotplugsMedia(client)).toBe(false);
    }
    api.intercept = () => ({ status: 200, body: { items: [] } });
    expect(await hotplugsMedia(client)).toBe(false);
    api.intercept = () => ({ status: 500, body: 'no' });
    await expect(hotplugsMedia(client)).rejects.toThrow();
  });
});
