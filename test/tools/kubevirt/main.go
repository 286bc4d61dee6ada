// Prints what virt-operator installs beside KubeVirt's processes, as one JSON list: CRDs, RBAC, the APIServices and
// webhooks of virt-api, its Service, and the ConfigMaps of the CAs. It calls the functions that virt-operator calls.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"kubevirt.io/kubevirt/pkg/virt-operator/resource/generate/components"
	"kubevirt.io/kubevirt/pkg/virt-operator/resource/generate/rbac"
)

const namespace = "kubevirt"

func main() {
	objects, err := manifests()
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(objects)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func manifests() ([]any, error) {
	var objects []any
	for _, newCRD := range []func() (*extv1.CustomResourceDefinition, error){
		components.NewVirtualMachineInstanceCrd, components.NewPresetCrd, components.NewReplicaSetCrd,
		components.NewVirtualMachineCrd, components.NewVirtualMachineInstanceMigrationCrd,
		components.NewVirtualMachineSnapshotCrd, components.NewVirtualMachineSnapshotContentCrd,
		components.NewVirtualMachineRestoreCrd, components.NewVirtualMachineInstancetypeCrd,
		components.NewVirtualMachineClusterInstancetypeCrd, components.NewVirtualMachinePoolCrd,
		components.NewMigrationPolicyCrd, components.NewVirtualMachinePreferenceCrd,
		components.NewVirtualMachineClusterPreferenceCrd, components.NewVirtualMachineExportCrd,
		components.NewVirtualMachineBackupCrd, components.NewVirtualMachineBackupTrackerCrd,
		components.NewVirtualMachineCloneCrd, components.NewKubeVirtCrd,
	} {
		crd, err := newCRD()
		if err != nil {
			return nil, err
		}
		objects = append(objects, crd)
	}
	objects = appendAll(objects, rbac.GetAllCluster())
	objects = appendAll(objects, rbac.GetAllApiServer(namespace))
	// With the rules for net-attach-defs.
	objects = appendAll(objects, rbac.GetAllController(namespace, true))
	objects = appendAll(objects, rbac.GetAllHandler(namespace))
	objects = appendAll(objects, components.NewVirtAPIAPIServices(namespace))
	objects = appendAll(objects, components.NewCAConfigMaps(namespace))
	return append(objects,
		components.NewVirtAPIValidatingWebhookConfiguration(namespace),
		components.NewVirtAPIMutatingWebhookConfiguration(namespace),
		components.NewKubeVirtPriorityClassCR(),
		components.NewApiServerService(namespace),
	), nil
}

func appendAll[T any](objects []any, more []T) []any {
	for _, object := range more {
		objects = append(objects, object)
	}
	return objects
}
