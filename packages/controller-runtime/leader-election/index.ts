export { LeaderElection, LeadershipLostError, type LeaderElectionOptions } from './leader-election.ts';
