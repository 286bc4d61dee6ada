import { ControlPlane } from '../../harness/kubernetes/control-plane.ts';
import type { Section } from '../section.ts';
import { measureManager } from './scale.ts';

/** The manager on a real kube-apiserver. */
export async function measureManagerSection(progress: (line: string) => void): Promise<Section> {
  progress('etcd and kube-apiserver start');
  const plane = await ControlPlane.start();
  try {
    const measurements = await measureManager(plane, progress);
    return { title: 'Manager', introduction: INTRODUCTION, inputs: [], measurements };
  } finally {
    await plane.close();
  }
}

const INTRODUCTION = [
  '- On kube-apiserver 1.34.4 and etcd, which share the two cores with the manager.',
  '- VirtualMachineBMCs, each with its own Secret: the manager as in the image, with the permissions of the chart. No',
  '  controller runs Deployments, so agents do not start. Requests are all requests that the manager sends until it is idle,',
  '  by its own metrics.',
];
