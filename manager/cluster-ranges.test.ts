import { describe, expect, it } from 'vitest';
import { clusterRangesOf } from './cluster-ranges.ts';

const env = { KUBERNETES_SERVICE_HOST: '10.43.0.1' };

describe("the cluster's own addresses", () => {
  it('are the configured ranges and the address of the API server', () => {
    expect(clusterRangesOf({ clusterRanges: ['10.42.0.0/16'], env })).toEqual(['10.42.0.0/16', '10.43.0.1/32']);
    expect(clusterRangesOf({ env })).toEqual(['10.43.0.1/32']);
  });

  it('are only the configured ranges outside the cluster or without an API server address', () => {
    expect(clusterRangesOf({ clusterRanges: ['10.42.0.0/16'], kubeconfig: 'config', env })).toEqual(['10.42.0.0/16']);
    expect(clusterRangesOf({ env: {} })).toEqual([]);
  });
});
