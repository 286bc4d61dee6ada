export { applyJsonPatch, jsonPatchOperations, unknownMembers } from './json-patch.ts';
export { applyMergePatch } from './merge-patch.ts';
export { applyStrategicMergePatch } from './strategic-merge-patch.ts';
export { patchedText } from './patched-text.ts';
export { mapText } from './map-text.ts';
