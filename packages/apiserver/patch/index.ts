export { applyJsonPatch, jsonPatchOperations } from './json-patch.ts';
export { applyMergePatch, applyStrategicMergePatch } from './merge-patch.ts';
