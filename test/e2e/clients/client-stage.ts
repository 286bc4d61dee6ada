import { startPopulatedSandbox, type PopulatedSandbox } from '../../harness/sandbox/index.ts';
import { startImageServer } from './image-server.ts';

/** The environment of a client: a BMC, and an image on another server. */
export interface ClientStage extends PopulatedSandbox {
  /** URL of the image. */
  image: string;
  close(): Promise<void>;
}

export async function startClientStage(): Promise<ClientStage> {
  const images = await startImageServer();
  const populated = await startPopulatedSandbox();
  return {
    ...populated,
    image: images.url,
    close: async () => {
      images.close();
      await populated.sandbox.close();
    },
  };
}
