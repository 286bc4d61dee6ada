import type { IPPool, PoolProblem, Standing } from '../../../api/index.ts';
import type { Deployment, Pod } from '@groundcrew/controller-runtime';
import type { AttachmentProblem } from '../agents/children/attachment-config.ts';
import type { AttachmentFact } from '../agents/inputs.ts';
import type { NetworkReport } from '../agents/reports.ts';
import type { Usage } from './usage.ts';

/** All that is evaluated of one pool, read in one go. */
export interface PoolInputs {
  pool: IPPool;
  /** `namespace/name` of its net-attach-def. */
  network: string;
  /** What in its spec makes no sense. */
  problems: readonly PoolProblem[];
  standing: Standing;
  attachment: AttachmentFact;
  /** What agents cannot be derived from. */
  attachmentProblem: AttachmentProblem | undefined;
  /** One for each of the pool's server addresses, in their order. */
  agents: readonly AgentFact[];
  report: NetworkReport;
  /** Whether the leases have been read. */
  leasesRead: boolean;
  /** Undefined where the pool has no addresses. */
  usage: Usage | undefined;
  /** Of `spec.ipv4Config.ntp`, as far as is known. */
  ntpServers: readonly string[];
}

export interface AgentFact {
  serverIP: string;
  pod: Pod | undefined;
  deployment: Deployment | undefined;
  /** It is Ready, and was started with this pool's address. */
  isReady: boolean;
}
