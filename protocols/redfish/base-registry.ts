import type { Message } from './messages.ts';

/** Version of DMTF's Base message registry. */
export const BASE_VERSION = '1.19';

interface Definition {
  severity: Message['MessageSeverity'];
  /** With placeholders `%1`, `%2`. */
  text: string;
  resolution: string;
}

/** The messages of DMTF's Base registry that this service sends (DSP8011). */
export const BASE = {
  Success: {
    severity: 'OK',
    text: 'The request completed successfully.',
    resolution: 'None.',
  },
  InternalError: {
    severity: 'Critical',
    text: 'The request failed due to an internal service error.  The service is still operational.',
    resolution: 'Resubmit the request.  If the problem persists, consider resetting the service.',
  },
  GeneralError: {
    severity: 'Critical',
    text: 'A general error has occurred.  See Resolution for information on how to resolve the error, or @Message.ExtendedInfo if Resolution is not provided.',
    resolution: 'None.',
  },
  ResetRequired: {
    severity: 'Warning',
    text: "In order to apply changes, recover from errors, or complete the operation, a component reset is required with the Reset action URI '%1' and ResetType '%2'.",
    resolution: 'Perform the required reset action on the specified component.',
  },
  NoOperation: {
    severity: 'Warning',
    text: 'The request body submitted contain no data to act upon and no changes to the resource took place.',
    resolution: 'Add properties in the JSON object and resubmit the request.',
  },
  EmptyJSON: {
    severity: 'Warning',
    text: 'The request body submitted contained an empty JSON object and the service is unable to process it.',
    resolution: 'Add properties in the JSON object and resubmit the request.',
  },
  MalformedJSON: {
    severity: 'Critical',
    text: 'The request body submitted was malformed JSON and could not be parsed by the receiving service.',
    resolution: 'Ensure that the request body is valid JSON and resubmit the request.',
  },
  UnrecognizedRequestBody: {
    severity: 'Warning',
    text: 'The service detected a malformed request body that it was unable to interpret.',
    resolution: 'Correct the request body and resubmit the request if it failed.',
  },
  PayloadTooLarge: {
    severity: 'Critical',
    text: 'The supplied payload exceeds the maximum size supported by the service.',
    resolution: 'Check that the supplied payload is correct and supported by this service.',
  },
  HeaderInvalid: {
    severity: 'Critical',
    text: "Header '%1' is invalid.",
    resolution: 'Resubmit the request with a valid request header.',
  },
  PreconditionFailed: {
    severity: 'Critical',
    text: 'The ETag supplied did not match the ETag required to change this resource.',
    resolution: 'Try the operation again using the appropriate ETag.',
  },
  OperationNotAllowed: {
    severity: 'Critical',
    text: 'The HTTP method is not allowed on this resource.',
    resolution: 'None.',
  },
  OperationFailed: {
    severity: 'Warning',
    text: 'An error occurred internal to the service as part of the overall request.  Partial results may have been returned.',
    resolution: 'Resubmit the request.  If the problem persists, consider resetting the service or provider.',
  },
  ActionNotSupported: {
    severity: 'Critical',
    text: 'The action %1 is not supported by the resource.',
    resolution:
      'The action supplied cannot be resubmitted to the implementation.  Perhaps the action was invalid, the wrong resource was the target or the implementation documentation may be of assistance.',
  },
  ActionParameterMissing: {
    severity: 'Critical',
    text: 'The action %1 requires the parameter %2 to be present in the request body.',
    resolution: 'Supply the action with the required parameter in the request body when the request is resubmitted.',
  },
  ActionParameterUnknown: {
    severity: 'Warning',
    text: 'The action %1 was submitted with the invalid parameter %2.',
    resolution: 'Correct the invalid action parameter and resubmit the request if the operation failed.',
  },
  ActionParameterValueConflict: {
    severity: 'Warning',
    text: "The parameter '%1' with the requested value of '%2' does not meet the constraints of the implementation.",
    resolution: 'No resolution is required.',
  },
  ActionParameterValueError: {
    severity: 'Warning',
    text: 'The value for the parameter %1 in the action %2 is invalid.',
    resolution:
      'Correct the value for the parameter in the request body and resubmit the request if the operation failed.',
  },
  ActionParameterValueFormatError: {
    severity: 'Warning',
    text: "The value '%1' for the parameter %2 in the action %3 is of a different format than the parameter can accept.",
    resolution:
      'Correct the value for the parameter in the request body and resubmit the request if the operation failed.',
  },
  ActionParameterValueNotInList: {
    severity: 'Warning',
    text: "The value '%1' for the parameter %2 in the action %3 is not in the list of acceptable values.",
    resolution:
      'Choose a value from the enumeration list that the implementation can support and resubmit the request if the operation failed.',
  },
  ActionParameterValueTypeError: {
    severity: 'Warning',
    text: "The value '%1' for the parameter %2 in the action %3 is of a different type than the parameter can accept.",
    resolution:
      'Correct the value for the parameter in the request body and resubmit the request if the operation failed.',
  },
  PropertyMissing: {
    severity: 'Warning',
    text: 'The property %1 is a required property and must be included in the request.',
    resolution:
      'Ensure that the property is in the request body and has a valid value and resubmit the request if the operation failed.',
  },
  PropertyNotWritable: {
    severity: 'Warning',
    text: 'The property %1 is a read only property and cannot be assigned a value.',
    resolution: 'Remove the property from the request body and resubmit the request if the operation failed.',
  },
  PropertyValueModified: {
    severity: 'Warning',
    text: 'The property %1 was assigned the value %2 due to modification by the service.',
    resolution: 'No resolution is required.',
  },
  PropertyUnknown: {
    severity: 'Warning',
    text: 'The property %1 is not in the list of valid properties for the resource.',
    resolution: 'Remove the unknown property from the request body and resubmit the request if the operation failed.',
  },
  PropertyValueConflict: {
    severity: 'Warning',
    text: "The property '%1' could not be written because its value would conflict with the value of the '%2' property.",
    resolution: 'No resolution is required.',
  },
  PropertyValueError: {
    severity: 'Warning',
    text: 'The value provided for the property %1 is not valid.',
    resolution:
      'Correct the value for the property in the request body and resubmit the request if the operation failed.',
  },
  PropertyValueFormatError: {
    severity: 'Warning',
    text: "The value '%1' for the property %2 is of a different format than the property can accept.",
    resolution:
      'Correct the value for the property in the request body and resubmit the request if the operation failed.',
  },
  PropertyValueNotInList: {
    severity: 'Warning',
    text: "The value '%1' for the property %2 is not in the list of acceptable values.",
    resolution:
      'Choose a value from the enumeration list that the implementation can support and resubmit the request if the operation failed.',
  },
  PropertyValueOutOfRange: {
    severity: 'Warning',
    text: "The value '%1' for the property %2 is not in the supported range of acceptable values.",
    resolution:
      'Correct the value for the property in the request body and resubmit the request if the operation failed.',
  },
  PropertyValueTypeError: {
    severity: 'Warning',
    text: "The value '%1' for the property %2 is of a different type than the property can accept.",
    resolution:
      'Correct the value for the property in the request body and resubmit the request if the operation failed.',
  },
  StringValueTooLong: {
    severity: 'Warning',
    text: "The string '%1' exceeds the length limit %2.",
    resolution: 'Resubmit the request with an appropriate string length.',
  },
  StringValueTooShort: {
    severity: 'Warning',
    text: "The string '%1' was under the minimum required length %2.",
    resolution: 'Resubmit the request with an appropriate string length.',
  },
  ArraySizeTooLong: {
    severity: 'Warning',
    text: 'The array provided for property %1 exceeds the size limit %2.',
    resolution: 'Resubmit the request with an appropriate array size.',
  },
  CreateFailedMissingReqProperties: {
    severity: 'Critical',
    text: 'The create operation failed because the required property %1 was missing from the request.',
    resolution:
      'Correct the body to include the required property with a valid value and resubmit the request if the operation failed.',
  },
  CreateLimitReachedForResource: {
    severity: 'Critical',
    text: 'The create operation failed because the resource has reached the limit of possible resources.',
    resolution:
      'Either delete resources and resubmit the request if the operation failed or do not resubmit the request.',
  },
  ResourceAlreadyExists: {
    severity: 'Critical',
    text: "The requested resource of type %1 with the property %2 with the value '%3' already exists.",
    resolution: 'Do not repeat the create operation as the resource has already been created.',
  },
  ResourceCannotBeDeleted: {
    severity: 'Critical',
    text: 'The delete request failed because the resource requested cannot be deleted.',
    resolution: 'Do not attempt to delete a non-deletable resource.',
  },
  ResourceInUse: {
    severity: 'Warning',
    text: 'The change to the requested resource failed because the resource is in use or in transition.',
    resolution: 'Remove the condition and resubmit the request if the operation failed.',
  },
  ResourceMissingAtURI: {
    severity: 'Critical',
    text: "The resource at the URI '%1' was not found.",
    resolution: 'Place a valid resource at the URI or correct the URI and resubmit the request.',
  },
  CouldNotEstablishConnection: {
    severity: 'Critical',
    text: "The service failed to establish a connection with the URI '%1'.",
    resolution:
      'Ensure that the URI contains a valid and reachable node name, protocol information and other URI components.',
  },
  NoValidSession: {
    severity: 'Critical',
    text: 'There is no valid session established with the implementation.',
    resolution: 'Establish a session before attempting any operations.',
  },
  InsufficientPrivilege: {
    severity: 'Critical',
    text: 'There are insufficient privileges for the account or credentials associated with the current session to perform the requested operation.',
    resolution:
      'Either abandon the operation or change the associated access rights and resubmit the request if the operation failed.',
  },
  PasswordChangeRequired: {
    severity: 'Critical',
    text: "The password provided for this account must be changed before access is granted.  PATCH the Password property for this account located at the target URI '%1' to complete this process.",
    resolution: 'Change the password for this account using a PATCH to the Password property at the URI provided.',
  },
  SessionLimitExceeded: {
    severity: 'Critical',
    text: 'The session establishment failed due to the number of simultaneous sessions exceeding the limit of the implementation.',
    resolution:
      'Reduce the number of other sessions before trying to establish the session or increase the limit of simultaneous sessions, if supported.',
  },
  EventSubscriptionLimitExceeded: {
    severity: 'Critical',
    text: 'The event subscription failed due to the number of simultaneous subscriptions exceeding the limit of the implementation.',
    resolution:
      'Reduce the number of other subscriptions before trying to establish the event subscription or increase the limit of simultaneous subscriptions, if supported.',
  },
  ServiceDisabled: {
    severity: 'Warning',
    text: 'The operation failed because the service at %1 is disabled and cannot accept requests.',
    resolution: 'Enable the service and resubmit the request if the operation failed.',
  },
  ServiceTemporarilyUnavailable: {
    severity: 'Critical',
    text: 'The service is temporarily unavailable.  Retry in %1 seconds.',
    resolution: 'Wait for the indicated retry duration and retry the operation.',
  },
  QueryCombinationInvalid: {
    severity: 'Warning',
    text: 'Two or more query parameters in the request cannot be used together.',
    resolution: 'Remove one or more of the query parameters and resubmit the request if the operation failed.',
  },
  QueryNotSupportedOnOperation: {
    severity: 'Warning',
    text: 'Querying is not supported with the requested operation.',
    resolution: 'Remove the query parameters and resubmit the request if the operation failed.',
  },
  QueryNotSupportedOnResource: {
    severity: 'Warning',
    text: 'Querying is not supported on the requested resource.',
    resolution: 'Remove the query parameters and resubmit the request if the operation failed.',
  },
  QueryParameterOutOfRange: {
    severity: 'Warning',
    text: "The value '%1' for the query parameter %2 is out of range %3.",
    resolution:
      'Reduce the value for the query parameter to a value that is within range, such as a start or count value that is within bounds of the number of resources in a collection or a page that is within the range of valid pages.',
  },
  QueryParameterUnsupported: {
    severity: 'Warning',
    text: "Query parameter '%1' is not supported.",
    resolution: 'Correct or remove the query parameter and resubmit the request.',
  },
  QueryParameterValueFormatError: {
    severity: 'Warning',
    text: "The value '%1' for the parameter %2 is of a different format than the parameter can accept.",
    resolution:
      'Correct the value for the query parameter in the request and resubmit the request if the operation failed.',
  },
} satisfies Record<string, Definition>;
