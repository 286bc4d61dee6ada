import { MachineError, type MediaDrive, type VirtualMedia } from '../../machine/index.ts';
import { base, RedfishError, machineRefusal } from '../messages/index.ts';
import type { Action } from '../resource.ts';
import { taskUri } from '../tasks/insertions.ts';
import { IMAGE_RULES, imageOf, namesOtherProtocol } from './image-parameters.ts';

const NAME = 'VirtualMedia.InsertMedia';

/** Done, or 202 with a Task that shows the progress of the import. */
export function insertMedia(media: VirtualMedia, drive: () => MediaDrive): Action {
  return {
    name: NAME,
    rules: { kind: 'object', properties: { ...IMAGE_RULES, Image: { ...IMAGE_RULES.Image, isRequired: true } } },
    async run(parameters, { requester }) {
      const { Image: given } = parameters;
      const image = typeof given === 'string' ? given : '';
      if (namesOtherProtocol(image, parameters['TransferProtocolType'])) {
        throw conflict('TransferProtocolType', 'Image');
      }
      if (parameters['WriteProtected'] === false)
        throw wrong('WriteProtected', 'Images can be read alone: leave it out.');
      try {
        await media.insert(drive().id, imageOf(image, parameters), requester);
      } catch (error) {
        if (!(error instanceof MachineError)) throw error;
        throw machineRefusal(error, base('ActionParameterValueError', ['Image', NAME], ['#/Image']));
      }
      const { insertion } = drive();
      return insertion?.state === 'Importing' ? { task: taskUri(insertion.id) } : undefined;
    },
  };
}

function wrong(parameter: string, why: string): RedfishError {
  const message = base('ActionParameterValueError', [parameter, NAME], [`#/${parameter}`]);
  return new RedfishError(400, [{ ...message, Resolution: why }]);
}

function conflict(parameter: string, other: string): RedfishError {
  return new RedfishError(400, [base('ActionParameterValueConflict', [parameter, other], [`#/${parameter}`])]);
}
