import { describe, expect, it } from 'vitest';
import { clusterRangesOf } from './cluster-ranges.ts';

const env = { KUBERNETES_SERVICE_HOST: '10.43.0.1' };

describe("the cluster's own addresses", () => {
  it('are those that were named, and the one of its API server', () => {
    expect(clusterRangesOf({ clusterRanges: ['10.42.0.0/16'], env })).toEqual(['10.42.0.0/16', '10.43.0.1/32']);
    expect(clusterRangesOf({ env })).toEqual(['10.43.0.1/32']);
  });

  it('are those that were named alone where the cluster is another, or none says so', () => {
    expect(clusterRangesOf({ clusterRanges: ['10.42.0.0/16'], kubeconfig: 'config', env })).toEqual(['10.42.0.0/16']);
    expect(clusterRangesOf({ env: {} })).toEqual([]);
  });
});
