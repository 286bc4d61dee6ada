export { DhcpScene, type LeaseOptions, type SceneOptions } from './scene.ts';
export { needsScene } from './needs-scene.ts';
