import { MAX_LEVELS } from './parse-expand.ts';

/** The query features in `ProtocolFeaturesSupported` of the ServiceRoot. */
export const PROTOCOL_FEATURES = {
  ExcerptQuery: false,
  ExpandQuery: { ExpandAll: true, Levels: true, Links: true, MaxLevels: MAX_LEVELS, NoLinks: true },
  FilterQuery: true,
  FilterQueryComparisonOperations: true,
  FilterQueryCompoundOperations: true,
  OnlyMemberQuery: true,
  SelectQuery: true,
  TopSkipQuery: true,
} as const;
