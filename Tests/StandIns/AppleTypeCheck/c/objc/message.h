// As much of Apple's <objc/message.h> as the sources use.
#pragma once

void objc_msgSend(void);
