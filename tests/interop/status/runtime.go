package main

import (
	"context"
	"errors"

	internalapi "k8s.io/cri-api/pkg/apis"
	runtime "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// A runtime that shows what the case says.
type shown struct {
	internalapi.RuntimeService
	question *question
}

func (s *shown) Version(context.Context, string) (*runtime.VersionResponse, error) {
	return &runtime.VersionResponse{RuntimeName: "containerd"}, nil
}

func (s *shown) ListPodSandbox(context.Context, *runtime.PodSandboxFilter) ([]*runtime.PodSandbox, error) {
	all := []*runtime.PodSandbox{}
	for _, status := range s.question.sandboxes {
		all = append(all, &runtime.PodSandbox{Id: status.Id, Metadata: status.Metadata, State: status.State,
			CreatedAt: status.CreatedAt, Labels: status.Labels, Annotations: status.Annotations})
	}
	return all, nil
}

func (s *shown) PodSandboxStatus(_ context.Context, id string, _ bool) (*runtime.PodSandboxStatusResponse, error) {
	for _, status := range s.question.sandboxes {
		if status.Id == id {
			return &runtime.PodSandboxStatusResponse{Status: status}, nil
		}
	}
	return nil, errors.New("no such sandbox")
}

func (s *shown) ListContainers(context.Context, *runtime.ContainerFilter) ([]*runtime.Container, error) {
	return s.question.listed, nil
}

func (s *shown) ContainerStatus(_ context.Context, id string, _ bool) (*runtime.ContainerStatusResponse, error) {
	status, known := s.question.containers[id]
	if !known {
		return nil, errors.New("no such container")
	}
	return &runtime.ContainerStatusResponse{Status: status}, nil
}
