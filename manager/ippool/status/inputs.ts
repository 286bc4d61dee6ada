import type { IPPool, PoolProblem, Standing } from '../../../api/index.ts';
import type { Deployment, Pod } from '@groundcrew/controller-runtime';
import type { AttachmentProblem } from '../agents/children/attachment-config.ts';
import type { AttachmentFact } from '../agents/inputs.ts';
import type { NetworkReport } from '../agents/reports.ts';
import type { Usage } from './usage.ts';

/** All inputs for one pool, read at one time. */
export interface PoolInputs {
  pool: IPPool;
  /** `namespace/name` of its net-attach-def. */
  network: string;
  /** Problems in its spec. */
  problems: readonly PoolProblem[];
  standing: Standing;
  attachment: AttachmentFact;
  /** Why agents cannot be derived from the network. */
  attachmentProblem: AttachmentProblem | undefined;
  /** One per server address of the pool, in that order. */
  agents: readonly AgentFact[];
  report: NetworkReport;
  /** Whether the leases have been read. */
  leasesRead: boolean;
  /** Undefined if the pool has no addresses. */
  usage: Usage | undefined;
  /** The known addresses of `spec.ipv4Config.ntp`. */
  ntpServers: readonly string[];
}

export interface AgentFact {
  serverIP: string;
  pod: Pod | undefined;
  deployment: Deployment | undefined;
  /** The agent is Ready and was started with this pool's address. */
  isReady: boolean;
}
