import type { CustomResourceDefinition, Draft } from '@groundcrew/controller-runtime';
import { featuresOf, type CdiVersion } from './version.ts';

/** CDI's kinds, of which only what the stand-in reads or writes has a schema. */
export function cdiDefinitions(version: CdiVersion): Draft<CustomResourceDefinition>[] {
  return [
    definition({
      kind: 'DataVolume',
      plural: 'datavolumes',
      scope: 'Namespaced',
      shortNames: ['dv', 'dvs'],
      categories: ['all'],
      description:
        'DataVolume is an abstraction on top of PersistentVolumeClaims to allow easy population of those ' +
        'PersistentVolumeClaims with relation to VirtualMachines',
      columns: DATA_VOLUME_COLUMNS,
      spec: dataVolumeSpec(version),
      status: DATA_VOLUME_STATUS,
    }),
    definition({
      kind: 'CDIConfig',
      plural: 'cdiconfigs',
      scope: 'Cluster',
      description: 'CDIConfig provides a user configuration for CDI',
      spec: object({ filesystemOverhead: OVERHEAD, allowedSourceURLs: array(STRING) }),
      status: OPEN,
    }),
    definition({
      kind: 'StorageProfile',
      plural: 'storageprofiles',
      scope: 'Cluster',
      description: 'StorageProfile provides a CDI specific recommendation for storage parameters',
      spec: object({ claimPropertySets: array(CLAIM_PROPERTIES) }),
      status: OPEN,
    }),
  ];
}

type Schema = Record<string, unknown>;

const OPEN: Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const STRING: Schema = { type: 'string' };
const BOOLEAN: Schema = { type: 'boolean' };
const QUANTITIES: Schema = {
  type: 'object',
  additionalProperties: {
    anyOf: [{ type: 'integer' }, { type: 'string' }],
    pattern:
      '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
    'x-kubernetes-int-or-string': true,
  },
};
const PERCENT: Schema = { type: 'string', pattern: '^(0(?:\\.\\d{1,3})?|1)$' };
const OVERHEAD: Schema = object({
  global: PERCENT,
  storageClass: { type: 'object', additionalProperties: PERCENT },
});
const CLAIM_PROPERTIES: Schema = {
  ...object({ accessModes: array(STRING), volumeMode: { type: 'string', enum: ['Block', 'Filesystem'] } }),
  required: ['accessModes', 'volumeMode'],
};

function object(properties: Record<string, Schema>): Schema {
  return { type: 'object', properties };
}

function array(items: Schema): Schema {
  return { type: 'array', items };
}

function described(schema: Schema, description: string): Schema {
  return { ...schema, description };
}

function dataVolumeSpec(version: CdiVersion): Schema {
  const claim = object({
    accessModes: array(STRING),
    dataSource: OPEN,
    dataSourceRef: OPEN,
    resources: object({ limits: QUANTITIES, requests: QUANTITIES }),
    selector: OPEN,
    storageClassName: STRING,
    volumeMode: STRING,
    volumeName: STRING,
  });
  return described(
    object({
      source: described(
        object({
          http: httpSource(version),
          blank: OPEN,
          upload: OPEN,
          registry: OPEN,
          s3: OPEN,
          gcs: OPEN,
          imageio: OPEN,
          vddk: OPEN,
          pvc: OPEN,
          snapshot: OPEN,
        }),
        'Source is the src of the data for the requested DataVolume',
      ),
      sourceRef: OPEN,
      pvc: described(claim, 'PVC is the PVC specification'),
      storage: described(claim, 'Storage is the requested storage specification'),
      contentType: described(
        { type: 'string', enum: ['kubevirt', 'archive'] },
        'DataVolumeContentType options: "kubevirt", "archive"',
      ),
      priorityClassName: STRING,
      preallocation: BOOLEAN,
      checkpoints: array(OPEN),
      finalCheckpoint: BOOLEAN,
    }),
    'DataVolumeSpec defines the DataVolume type specification',
  );
}

function httpSource(version: CdiVersion): Schema {
  const features = featuresOf(version);
  return {
    ...object({
      url: described(STRING, 'URL is the URL of the http(s) endpoint'),
      secretRef: described(
        STRING,
        'SecretRef A Secret reference, the secret should contain accessKeyId (user name) base64 encoded, and ' +
          'secretKey (password) also base64 encoded',
      ),
      certConfigMap: described(
        STRING,
        'CertConfigMap is a configmap reference, containing a Certificate Authority(CA) public key, and a base64 encoded pem certificate',
      ),
      extraHeaders: described(
        array(STRING),
        'ExtraHeaders is a list of strings containing extra headers to include with HTTP transfer requests',
      ),
      secretExtraHeaders: described(
        array(STRING),
        'SecretExtraHeaders is a list of Secret references, each containing an extra HTTP header that may include sensitive information',
      ),
      ...(features.checksum ? { checksum: described(STRING, 'Checksum of the source, as algorithm:hash') } : {}),
      ...(features.insecureSkipVerify
        ? { insecureSkipVerify: described(BOOLEAN, 'InsecureSkipVerify takes any certificate of the endpoint') }
        : {}),
    }),
    required: ['url'],
  };
}

const DATA_VOLUME_STATUS: Schema = object({
  claimName: described(STRING, 'ClaimName is the name of the underlying PVC used by the DataVolume.'),
  phase: described(STRING, 'Phase is the current phase of the data volume'),
  progress: STRING,
  restartCount: {
    type: 'integer',
    format: 'int32',
    description: 'RestartCount is the number of times the pod populating the DataVolume has restarted',
  },
  conditions: array({
    ...object({
      type: STRING,
      status: STRING,
      reason: STRING,
      message: STRING,
      lastTransitionTime: { type: 'string', format: 'date-time' },
      lastHeartbeatTime: { type: 'string', format: 'date-time' },
    }),
    required: ['status', 'type'],
  }),
});

interface Column {
  name: string;
  type: string;
  jsonPath: string;
  description?: string;
}

const DATA_VOLUME_COLUMNS: Column[] = [
  { name: 'Phase', type: 'string', jsonPath: '.status.phase', description: 'The phase the data volume is in' },
  {
    name: 'Progress',
    type: 'string',
    jsonPath: '.status.progress',
    description: 'Transfer progress in percentage if known, N/A otherwise',
  },
  {
    name: 'Restarts',
    type: 'integer',
    jsonPath: '.status.restartCount',
    description: 'The number of times the transfer has been restarted.',
  },
  { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
];

interface Options {
  kind: string;
  plural: string;
  scope: 'Namespaced' | 'Cluster';
  shortNames?: string[];
  categories?: string[];
  description: string;
  columns?: Column[];
  spec: Schema;
  status: Schema;
}

function definition(options: Options): Draft<CustomResourceDefinition> {
  const { kind, plural, scope, shortNames, categories, description, columns, spec, status } = options;
  const singular = kind.toLowerCase();
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.cdi.kubevirt.io`, labels: { 'cdi.kubevirt.io': '' } },
    spec: {
      group: 'cdi.kubevirt.io',
      scope,
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular,
        ...(shortNames === undefined ? {} : { shortNames }),
        ...(categories === undefined ? {} : { categories }),
      },
      versions: [
        {
          name: 'v1beta1',
          served: true,
          storage: true,
          ...(columns === undefined ? {} : { additionalPrinterColumns: columns }),
          subresources: { status: {} },
          schema: {
            openAPIV3Schema: {
              type: 'object',
              description,
              required: ['spec'],
              properties: { apiVersion: STRING, kind: STRING, metadata: { type: 'object' }, spec, status },
            },
          },
        },
      ],
    },
  };
}
