/** Annotations of claims and DataVolumes: CDI's memory of an import (`pkg/controller/common/util.go`). */
export const ANNOTATIONS = {
  /** `http` or `none`. */
  source: 'cdi.kubevirt.io/storage.import.source',
  endpoint: 'cdi.kubevirt.io/storage.import.endpoint',
  secret: 'cdi.kubevirt.io/storage.import.secretName',
  certificates: 'cdi.kubevirt.io/storage.import.certConfigMap',
  importer: 'cdi.kubevirt.io/storage.import.importPodName',
  contentType: 'cdi.kubevirt.io/storage.contentType',
  preallocation: 'cdi.kubevirt.io/storage.preallocation.requested',
  priorityClass: 'cdi.kubevirt.io/storage.pod.priorityclassname',
  /** Phase of the importer's pod. */
  phase: 'cdi.kubevirt.io/storage.pod.phase',
  restarts: 'cdi.kubevirt.io/storage.pod.restarts',
  running: 'cdi.kubevirt.io/storage.condition.running',
  runningMessage: 'cdi.kubevirt.io/storage.condition.running.message',
  runningReason: 'cdi.kubevirt.io/storage.condition.running.reason',
  /** Bind and import at once where the storage class waits for a first consumer. */
  bindImmediately: 'cdi.kubevirt.io/storage.bind.immediate.requested',
  /** Kubernetes' own: the scheduler has found the node of the first consumer. */
  selectedNode: 'volume.kubernetes.io/selected-node',
  /** The stand-in's own: what the importer read, since it keeps none of it. */
  importedBytes: 'sandbox.cdi.kubevirt.io/imported-bytes',
  importedSha256: 'sandbox.cdi.kubevirt.io/imported-sha256',
} as const;
