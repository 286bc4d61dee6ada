import type { Measurement } from './measurement.ts';

/** A part of docs/benchmarks.md: one subject, and how ours and the peers do at it. */
export interface Section {
  title: string;
  /** Lines of Markdown: who takes part, and what exactly is measured. */
  introduction: readonly string[];
  /** What the figures depend on beside the machine: versions, and who was left out. */
  inputs: readonly string[];
  measurements: readonly Measurement[];
}

/** Measures a section; `progress` is told what is under way. */
export type MeasureSection = (progress: (line: string) => void) => Promise<Section>;
