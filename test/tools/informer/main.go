// Follows all objects of a kind with the informer and work queue of client-go: `informer KUBECONFIG GROUP VERSION PLURAL`.
package main

import (
	"context"
	"encoding/json"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/workqueue"
)

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Args[1])
	must(err)
	client, err := dynamic.NewForConfig(config)
	must(err)
	resource := schema.GroupVersionResource{Group: os.Args[2], Version: os.Args[3], Resource: os.Args[4]}
	out := json.NewEncoder(os.Stdout)

	started := time.Now()
	informer := dynamicinformer.NewDynamicSharedInformerFactory(client, 0).ForResource(resource).Informer()
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
	add := func(object any) {
		key, err := cache.MetaNamespaceKeyFunc(object)
		must(err)
		queue.Add(key)
	}
	_, err = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    add,
		UpdateFunc: func(_, object any) { add(object) },
	})
	must(err)
	ctx := context.Background()
	go informer.Run(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		os.Exit(1)
	}
	must(out.Encode(map[string]any{
		"report":       "synced",
		"milliseconds": float64(time.Since(started).Microseconds()) / 1000,
		"objects":      len(informer.GetStore().ListKeys()),
	}))
	for {
		key, shutdown := queue.Get()
		if shutdown {
			return
		}
		_, name, err := cache.SplitMetaNamespaceKey(key)
		must(err)
		at := float64(time.Now().UnixMicro()) / 1000
		must(out.Encode(map[string]any{"report": "seen", "name": name, "at": at}))
		queue.Done(key)
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
