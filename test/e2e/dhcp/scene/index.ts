export { DhcpScene, type LeaseOptions, type SceneOptions } from './scene.ts';
export { sceneProblem } from './scene-problem.ts';
